"use client";
import { useId } from "react";
import { Input, type InputProps } from "@/app/_ui/input";

const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

interface ZoneInputProps extends Pick<InputProps, "size" | "aria-label" | "aria-invalid" | "placeholder" | "className"> {
  value: string;
  onValue: (zone: string) => void;
}

/** An IANA zone, with all that there are as suggestions. */
export function ZoneInput({ value, onValue, ...rest }: ZoneInputProps) {
  const id = useId();
  return (
    <>
      <Input
        mono
        list={id}
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        {...rest}
      />
      <datalist id={id}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
