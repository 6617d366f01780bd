"use client";
import { useEffect } from "react";

/** Remembers the address that was asked for: a link from a message leads there after signing in. */
export function ToSignIn() {
  useEffect(() => {
    const { pathname, search } = window.location;
    window.location.replace(pathname === "/" && search === "" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(pathname + search)}`);
  }, []);
  return null;
}
