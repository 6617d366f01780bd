import { handleTrpc } from "@/server/api/http/trpc";

export const dynamic = "force-dynamic";

export const GET = (request: Request) => handleTrpc(request);
export const POST = (request: Request) => handleTrpc(request);
