import { NotFoundNote } from "./(console)/_frame/not-found-note";

export default function NotFound() {
  return (
    <main className="mx-auto max-w-2xl py-16">
      <NotFoundNote />
    </main>
  );
}
