/** Lint rules of this house that no package offers. Each message says what to do instead. */

const BANNED = ["utils", "util", "helpers", "helper", "common", "misc", "lib", "shared", "types"];

function bannedPart(path) {
  return path.split("/").find((part) => {
    const name = part.replace(/(\.(test|db|queue|schema|d))*\.[cm]?[jt]sx?$/, "");
    return BANNED.some((word) => name === word || name.endsWith(`-${word}`));
  });
}

const namedByNoun = {
  meta: {
    type: "problem",
    messages: { banned: "'{{part}}' says nothing about what is inside: name the file or folder after the noun that it serves." },
    schema: [],
  },
  create(context) {
    return {
      Program(node) {
        const path = context.filename.slice(context.cwd.length + 1).replaceAll("\\", "/");
        const part = bannedPart(path);
        if (part) context.report({ node, messageId: "banned", data: { part } });
      },
    };
  },
};

const housePlugin = { rules: { "named-by-noun": namedByNoun } };

export default housePlugin;
