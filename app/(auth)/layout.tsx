import type { ReactNode } from "react";
import { AuthGround } from "./_parts/auth-ground";

export default function AuthLayout({ children }: { children: ReactNode }) {
  return <AuthGround>{children}</AuthGround>;
}
