import { handleHealth } from "@/server/api/http/health";

export const dynamic = "force-dynamic";

export const GET = (request: Request) => handleHealth(request);
