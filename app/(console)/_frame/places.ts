import {
  BellRing,
  BookMarked,
  Cable,
  CalendarClock,
  Hand,
  Home,
  ListChecks,
  type LucideIcon,
  MailX,
  OctagonPause,
  ScrollText,
  Server,
  Settings,
  Siren,
  Split,
  Workflow,
} from "lucide-react";

export type PlaceKey =
  | "home"
  | "pipelines"
  | "runs"
  | "schedules"
  | "alerts"
  | "incidents"
  | "reviews"
  | "codes"
  | "routing"
  | "workers"
  | "dependencies"
  | "valves"
  | "deadLetters"
  | "audit"
  | "settings";

export interface Place {
  key: PlaceKey;
  href: string;
  icon: LucideIcon;
  /** The second key after `g`. */
  go: string;
  /** A rule is drawn before it: another kind of place begins. */
  apart?: boolean;
  /** Also in the bottom bar of a phone. */
  phone?: boolean;
}

/** Every screen that the rail leads to, in its order. */
export const PLACES: readonly Place[] = [
  { key: "home", href: "/", icon: Home, go: "h", phone: true },
  { key: "pipelines", href: "/pipelines", icon: Workflow, go: "p" },
  { key: "runs", href: "/runs", icon: ListChecks, go: "r", phone: true },
  { key: "schedules", href: "/schedules", icon: CalendarClock, go: "s" },
  { key: "alerts", href: "/alerts", icon: BellRing, go: "l", phone: true },
  { key: "incidents", href: "/incidents", icon: Siren, go: "i" },
  { key: "reviews", href: "/reviews", icon: Hand, go: "v" },
  { key: "codes", href: "/codes", icon: BookMarked, go: "c" },
  { key: "routing", href: "/routing", icon: Split, go: "o" },
  { key: "workers", href: "/workers", icon: Server, go: "w", apart: true },
  { key: "dependencies", href: "/dependencies", icon: Cable, go: "e" },
  { key: "valves", href: "/valves", icon: OctagonPause, go: "b" },
  { key: "deadLetters", href: "/dead-letters", icon: MailX, go: "d" },
  { key: "audit", href: "/audit", icon: ScrollText, go: "a" },
  { key: "settings", href: "/settings", icon: Settings, go: "t" },
];

export const isAt = (place: Pick<Place, "href">, pathname: string): boolean =>
  place.href === "/" ? pathname === "/" : pathname === place.href || pathname.startsWith(`${place.href}/`);
