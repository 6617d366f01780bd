import type { Outputs } from "../_query/outputs";

export type CauseLine = Outputs["rootCauses"]["list"]["items"][number];
export type CauseDetails = Outputs["rootCauses"]["get"];

export const burstHref = ({ code, id }: Pick<CauseLine, "code" | "id">): string => `/codes/${code}/bursts/${id}`;
