import { handleAuth } from "@/server/api/http/auth";

export const dynamic = "force-dynamic";

export const GET = (request: Request) => handleAuth(request);
export const POST = (request: Request) => handleAuth(request);
