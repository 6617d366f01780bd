import { handleFirstAdmin } from "@/server/api/http/first-admin";

export const dynamic = "force-dynamic";

export const POST = (request: Request) => handleFirstAdmin(request);
