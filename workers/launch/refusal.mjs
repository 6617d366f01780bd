/** A start that cannot go on until a person changes something; printed as one plain line, without a stack. */
export class Refusal extends Error {
  constructor(message) {
    super(message);
    this.name = "Refusal";
  }
}
