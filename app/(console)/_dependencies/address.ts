interface Named {
  readonly kind: string;
  readonly name: string;
}

/** The page of a dependency. A slash of its name stays one: proxies mistrust an encoded one. */
export const dependencyHref = ({ kind, name }: Named): string =>
  `/dependencies/${kind}/${name.split("/").map(encodeURIComponent).join("/")}`;

/** The name that such an address was made from. */
export const nameOfParts = (parts: readonly string[]): string => parts.map(decodeURIComponent).join("/");
