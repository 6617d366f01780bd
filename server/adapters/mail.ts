import { createTransport } from "nodemailer";
import { DomainError } from "@/server/domain/failure";
import type { Mailer } from "@/server/engine/ports";

const LIMIT_MS = 6_000;

/** Mail over the installation's own SMTP server; one that is not set refuses and says how to set it. */
export function openMail({ smtpUrl, from }: { readonly smtpUrl: string | undefined; readonly from: string }): Mailer & { close(): void } {
  const limits = { connectionTimeout: LIMIT_MS, greetingTimeout: LIMIT_MS, socketTimeout: LIMIT_MS, dnsTimeout: LIMIT_MS };
  const transport = smtpUrl === undefined ? null : createTransport({ url: smtpUrl, ...limits });
  return {
    send: async ({ to, subject, text, eventId }) => {
      if (!transport) throw new DomainError("unavailable", "No mail server is set: set APOLLO_SMTP_URL and start Apollo-11 again.");
      await transport.sendMail({
        from,
        to: [...to],
        subject,
        text,
        messageId: `<${eventId}@apollo-11>`,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
    close: () => transport?.close(),
  };
}
