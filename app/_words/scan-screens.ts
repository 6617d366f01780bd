import ts from "typescript";

export interface UsedKey {
  /** Namespace and key; ends in a dot or a piece of a word where `prefix` is set. */
  key: string;
  /** The rest of the key is only known when the screen runs. */
  prefix: boolean;
  at: string;
}

const parse = (path: string, text: string) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);

const lineOf = (source: ts.SourceFile, node: ts.Node): string =>
  `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;

/** The namespace of `useTranslations("…")` or `await getTranslations("…")`; null if the expression is neither. */
function namespaceOf(expression: ts.Expression | undefined): string | null {
  const call = expression && ts.isAwaitExpression(expression) ? expression.expression : expression;
  if (!call || !ts.isCallExpression(call) || !ts.isIdentifier(call.expression)) return null;
  if (call.expression.text !== "useTranslations" && call.expression.text !== "getTranslations") return null;
  const [first] = call.arguments;
  if (!first) return "";
  if (ts.isStringLiteralLike(first)) return first.text;
  if (!ts.isObjectLiteralExpression(first)) return null;
  for (const property of first.properties) {
    if (ts.isPropertyAssignment(property) && property.name.getText() === "namespace" && ts.isStringLiteralLike(property.initializer)) {
      return property.initializer.text;
    }
  }
  return "";
}

/** Looks outward from a use to the nearest function that declares the translator. */
function namespaceInScope(name: string, from: ts.Node): string | null {
  for (let scope: ts.Node | undefined = from.parent; scope; scope = scope.parent) {
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue;
    for (const statement of scope.statements) {
      if (!ts.isVariableStatement(statement)) continue;
      for (const declaration of statement.declarationList.declarations) {
        if (ts.isIdentifier(declaration.name) && declaration.name.text === name) return namespaceOf(declaration.initializer);
        const order = ts.isArrayBindingPattern(declaration.name)
          ? declaration.name.elements.findIndex((element) => ts.isBindingElement(element) && element.name.getText() === name)
          : -1;
        if (order >= 0) return namespaceOf(promisedAt(declaration.initializer, order));
      }
    }
  }
  return null;
}

/** The item of `await Promise.all([…])` that a destructured name stands for. */
function promisedAt(initializer: ts.Expression | undefined, order: number): ts.Expression | undefined {
  const call = initializer && ts.isAwaitExpression(initializer) ? initializer.expression : undefined;
  const list = call && ts.isCallExpression(call) ? call.arguments[0] : undefined;
  return list && ts.isArrayLiteralExpression(list) ? list.elements[order] : undefined;
}

function keysIn(argument: ts.Expression): { text: string; prefix: boolean }[] {
  if (ts.isStringLiteralLike(argument)) return [{ text: argument.text, prefix: false }];
  if (ts.isTemplateExpression(argument)) return [{ text: argument.head.text, prefix: true }];
  if (ts.isConditionalExpression(argument)) return [...keysIn(argument.whenTrue), ...keysIn(argument.whenFalse)];
  if (ts.isParenthesizedExpression(argument)) return keysIn(argument.expression);
  return [];
}

/** Every key that a screen asks a translator for. */
export function findUsedKeys(path: string, text: string): UsedKey[] {
  const source = parse(path, text);
  const used: UsedKey[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node)) {
      const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.expression : node.expression;
      const namespace = ts.isIdentifier(callee) ? namespaceInScope(callee.text, node) : null;
      const [first] = node.arguments;
      if (namespace !== null && first) {
        for (const { text: key, prefix } of keysIn(first)) {
          used.push({ key: namespace === "" ? key : `${namespace}.${key}`, prefix, at: lineOf(source, node) });
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return used;
}

/** Names that are the same in every language. */
const NAMES = new Set(["Apollo", "Apollo-11", "-11", "UTC", "YAML", "JSON", "HTTP", "cron", "ms", "undefined", "lang", "px"]);
const READ_ATTRIBUTES = new Set(["aria-label", "aria-description", "title", "alt", "placeholder", "label", "hint", "lead", "detail"]);

const isHard = (text: string): boolean => text.split(/[\s·:()|,]+/u).some((word) => /\p{L}/u.test(word) && !NAMES.has(word));

/** Text that people would read and that does not come from the words. */
export function findHardText(path: string, text: string): { at: string; text: string }[] {
  const source = parse(path, text);
  const found: { at: string; text: string }[] = [];
  const check = (node: ts.Node, words: string) => {
    if (isHard(words.trim())) found.push({ at: lineOf(source, node), text: words.trim() });
  };
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node)) check(node, node.text);
    else if (ts.isJsxExpression(node) && node.expression && ts.isStringLiteralLike(node.expression) && !ts.isJsxAttribute(node.parent)) {
      check(node, node.expression.text);
    } else if (
      ts.isJsxAttribute(node) &&
      READ_ATTRIBUTES.has(node.name.getText(source)) &&
      node.initializer &&
      ts.isStringLiteral(node.initializer)
    ) {
      check(node, node.initializer.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
