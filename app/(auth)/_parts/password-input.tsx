"use client";
import { Eye, EyeOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { IconButton } from "@/app/_ui/icon-button";
import { Input } from "@/app/_ui/input";

export function PasswordInput({ fresh, minLength }: { fresh?: boolean; minLength?: number }) {
  const t = useTranslations("auth.signIn");
  const [seen, setSeen] = useState(false);
  return (
    <Input
      size="lg"
      name="password"
      type={seen ? "text" : "password"}
      autoComplete={fresh ? "new-password" : "current-password"}
      required
      minLength={minLength}
      after={
        <IconButton
          label={t(seen ? "hidePassword" : "showPassword")}
          icon={seen ? <EyeOff size={15} aria-hidden="true" /> : <Eye size={15} aria-hidden="true" />}
          onClick={() => setSeen(!seen)}
        />
      }
    />
  );
}
