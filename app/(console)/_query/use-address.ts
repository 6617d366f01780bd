"use client";
import { useSearchParams } from "next/navigation";

export type AddressChange = Readonly<Record<string, string | null>>;

/** The query of an address after a change; what is empty leaves it. */
export function changedQuery(search: string, change: AddressChange): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}

/** What the page is set to, kept in its address so that a link leads to the same sight. */
export function useAddress() {
  const params = useSearchParams();
  const write = (change: AddressChange) => {
    const { pathname, search } = window.location;
    window.history.replaceState(null, "", `${pathname}${changedQuery(search, change)}`);
  };
  return { read: (name: string) => params.get(name)?.trim() ?? "", write, search: params.toString() };
}
