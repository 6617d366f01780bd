/**
 * Where the cursor goes when a dialog opens: into its first field, else onto the dialog itself, and never onto the
 * button that closes it.
 */
export function focusFirstField(event: Event) {
  event.preventDefault();
  const ground = event.currentTarget instanceof HTMLElement ? event.currentTarget : null;
  const field = ground?.querySelector<HTMLElement>(
    "input:not([type=hidden],:disabled),textarea:not(:disabled),select:not(:disabled),[role=combobox]:not(:disabled)",
  );
  (field ?? ground)?.focus();
}
