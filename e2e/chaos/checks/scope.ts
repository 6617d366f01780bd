/** The runs that a check is about, by when they were made. */
export interface Scope {
  readonly since: Date;
  readonly until: Date;
}
