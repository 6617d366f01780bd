import { NotFoundNote } from "./_frame/not-found-note";

export default function NotFound() {
  return <NotFoundNote />;
}
