import { handleRest } from "@/server/api/http/rest";

export const dynamic = "force-dynamic";

export const GET = (request: Request) => handleRest(request);
export const POST = (request: Request) => handleRest(request);
export const PUT = (request: Request) => handleRest(request);
export const DELETE = (request: Request) => handleRest(request);
