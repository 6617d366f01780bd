import type { IdempotencyCheck } from "@/server/domain/pipeline/definition";
import type { Executed, Execution } from "./execution";

type Http = (execution: Execution<"http">) => Promise<Executed>;

/**
 * Asks whether the effect of an earlier attempt, whose fate is unknown, exists (IDM-5). What it gave is taken as the result;
 * null means that it is missing and the node acts. Where nobody can tell, the attempt fails rather than acts.
 */
export async function askCheck(http: Http, check: IdempotencyCheck, execution: Omit<Execution<"http">, "with">): Promise<Executed | null> {
  const { found, missing, ...request } = check;
  execution.log.system("the fate of an earlier attempt is unknown: its check is asked first");
  const answer = await http({ ...execution, with: { ...request, accept: [...found, ...missing] } });
  switch (answer.kind) {
    case "succeeded":
      if (missing.includes(Number(answer.response.status))) {
        execution.log.system("the check says that the effect is missing: the node acts");
        return null;
      }
      execution.log.system("the check says that the effect exists: its result is taken, and the node does not act again");
      return { ...answer, response: { ...answer.response, foundByCheck: true } };
    case "failed": {
      const message = `Whether the effect of an earlier attempt exists could not be told: ${answer.fault.message}`;
      return { ...answer, fault: { ...answer.fault, message, retryable: true } };
    }
    case "interrupted":
    case "killed":
      return answer;
  }
}
