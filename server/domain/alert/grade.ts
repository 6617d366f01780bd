/** How grave an alert is, the gravest first (ALT-1). P4 is listed and goes only where somebody asked for it. */
export const GRADES = ["P0", "P1", "P2", "P3", "P4"] as const;
export type Grade = (typeof GRADES)[number];

/** Smaller is graver. */
export const gradeRank = (grade: Grade): number => GRADES.indexOf(grade);

export const isGraver = (grade: Grade, than: Grade): boolean => gradeRank(grade) < gradeRank(than);

/** The graver of two; null is no grade at all. */
export const graverOf = (grade: Grade, other: Grade | null): Grade => (other !== null && isGraver(other, grade) ? other : grade);
