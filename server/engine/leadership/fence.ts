/** The leader's term; the database refuses what a past leader writes. */
export interface Fence {
  readonly name: string;
  readonly epoch: number;
}
