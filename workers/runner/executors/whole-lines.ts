/**
 * Lines that hold anything, of the end of a stream of which at most `kept` characters were kept: the first of one that was cut
 * may be half a line, and half a secret is not found.
 */
export function wholeLines(text: string, kept: number): string[] {
  const whole = text.length < kept ? text : text.slice(text.includes("\n") ? text.indexOf("\n") : text.length);
  return whole.split("\n").filter((line) => line.trim() !== "");
}
