import { describe, expect, it } from "vitest";
import { checkZone } from "./zone";

describe("which time zones are taken (SCH-1)", () => {
  it.each(["CET", "EST5EDT", "US/Pacific", "Europe/Kyiv", "Asia/Shanghai", "UTC", "Etc/GMT-1", "Asia/Calcutta"])(
    "%s, an IANA name or link, is taken as written (B06)",
    (zone) => {
      expect(checkZone(zone)).toEqual({ ok: true, zone });
    },
  );

  it.each([
    ["Mars/Base", "is not a time zone that this system knows"],
    ["", "the time zone is empty"],
    ["  ", "the time zone is empty"],
    ["+02:00", "is a fixed offset"],
    ["-0530", "is a fixed offset"],
    ["UTC+8", "is a fixed offset"],
    ["GMT-3", "is a fixed offset"],
    ["Z", "is a fixed offset"],
    ["../etc/passwd", "is not a time zone"],
    ["中国/上海", "is not a time zone"],
  ])("%j is refused with a message that names a valid zone (B06)", (zone, message) => {
    expect(checkZone(zone)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
    expect(checkZone(zone)).toMatchObject({ message: expect.stringContaining("Asia/Shanghai") });
  });

  it("restores the usual spelling, so that one zone has one name (B06)", () => {
    expect(checkZone(" europe/paris ")).toEqual({ ok: true, zone: "Europe/Paris" });
  });
});
