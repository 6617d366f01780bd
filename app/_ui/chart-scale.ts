/** The top of an axis from 0: the next of 1, 2, 2.5 and 5 times a power of ten that `most` fits under, in four steps. */
export function axisTop(most: number): number {
  if (!(most > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * unit >= most) ?? 10;
  return factor * unit;
}

/** An SVG path through values of 0 to `top` in a box of 100 by 100; a null breaks it, and a value between two nulls is a dot. */
export function linePath(values: readonly (number | null)[], top: number): string {
  const last = Math.max(1, values.length - 1);
  let path = "";
  let isOpen = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isOpen = false;
      continue;
    }
    const x = ((index / last) * 100).toFixed(2);
    const y = (100 - (Math.min(value, top) / top) * 100).toFixed(2);
    path += isOpen ? `L${x} ${y}` : `M${x} ${y}h0`;
    isOpen = true;
  }
  return path;
}

/** Which of `count` points stands nearest to a place from 0 to 1. */
export const nearestPoint = (share: number, count: number): number =>
  Math.max(0, Math.min(count - 1, Math.round(share * Math.max(1, count - 1))));
