/** How long one process has lived without an answer; another process, or an answer, begins anew. */
export class Silence {
  #limitMs;
  #pid;
  #sinceMs = 0;

  constructor(limitMs) {
    this.#limitMs = limitMs;
  }

  isTooLong({ answered, pid }, nowMs) {
    if (answered || pid !== this.#pid) {
      this.#pid = pid;
      this.#sinceMs = nowMs;
      return false;
    }
    if (nowMs - this.#sinceMs < this.#limitMs) return false;
    this.#sinceMs = nowMs;
    return true;
  }
}
