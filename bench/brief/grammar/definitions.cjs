// Print, for each file named on stdin, [line, name, asked] of what it defines: one JSON object a line.
// The parser is the language's own: TypeScript's compiler, luaparse, @solidity-parser/parser, postcss.
const fs = require("fs");
const { createRequire } = require("module");
const load = createRequire(process.cwd() + "/");

function typescript(path, text) {
  const ts = load("typescript");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, name, asked) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push([line, name, asked ? 1 : 0]);
  };
  const named = (node) => (node && (node.text !== undefined ? node.text : node.getText())) || "";
  const visit = (node, inside) => {
    const type = ts.SyntaxKind[node.kind];
    let inner = inside;
    if (ts.isFunctionDeclaration(node)) {
      if (node.name) add(node.name, node.name.text, node.body);
      inner = true;
    } else if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || ts.isEnumDeclaration(node)) {
      if (node.name) add(node.name, node.name.text, true);
    } else if (ts.isTypeAliasDeclaration(node) || ts.isModuleDeclaration(node)) {
      add(node.name, named(node.name), !inside && ts.isIdentifier(node.name) && node.name.text !== "global");
    } else if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) {
      add(node.name, named(node.name), node.body && ts.isClassLike(node.parent));
      inner = true;
    } else if (ts.isMethodSignature(node)) {
      add(node.name, named(node.name), false);
    } else if (ts.isConstructorDeclaration(node)) {
      add(node, "constructor", node.body);
      inner = true;
    } else if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) {
      const value = node.initializer;
      const whole = value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
      add(node.name, named(node.name), whole && !inside && !ts.isPropertyAssignment(node));
      if (whole) { ts.forEachChild(value, (child) => visit(child, true)); return; }
    } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const value = node.right;
      const target = ts.isPropertyAccessExpression(node.left) ? node.left.name : node.left;
      add(target, named(target), false);
    } else if (ts.isCallExpression(node) && node.arguments.length && ts.isStringLiteralLike(node.arguments[0])) {
      add(node, node.arguments[0].text, false);
    } else if (type.includes("FunctionExpression") || type === "ArrowFunction") {
      if (node.name) add(node.name, node.name.text, false);
      inner = true;
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, false);
  return found;
}

function lua(path, text) {
  const found = [];
  const name = (node) => (node.type === "MemberExpression" ? node.identifier.name : node.name);
  const visit = (node, inside) => {
    if (!node || typeof node !== "object") return;
    if (Array.isArray(node)) { node.forEach((one) => visit(one, inside)); return; }
    let inner = inside;
    if (node.type === "FunctionDeclaration") {
      if (node.identifier) found.push([node.identifier.loc.end.line, name(node.identifier), inside ? 0 : 1]);
      inner = true;
    } else if (/^(Local|Assignment)/.test(node.type)) {
      node.variables.forEach((one, at) => {
        const whole = node.init[at] && node.init[at].type === "FunctionDeclaration";
        if (name(one)) found.push([one.loc.end.line, name(one), whole && !inside ? 1 : 0]);
      });
    } else if (node.type === "TableKeyString") {
      found.push([node.key.loc.start.line, node.key.name, 0]);
    }
    for (const key of Object.keys(node)) if (key !== "loc") visit(node[key], inner);
  };
  visit(load("luaparse").parse(text, { locations: true, comments: false, luaVersion: "LuaJIT", encodingMode: "none" }), false);
  return found;
}

function solidity(path, text) {
  const parser = load("@solidity-parser/parser");
  const found = [];
  const rows = text.split("\n");
  const add = (node) => {
    const name = node.name || (node.isConstructor ? "constructor" : node.isFallback ? "fallback" : node.isReceiveEther ? "receive" : "");
    let at = node.loc.start.line;
    while (at < node.loc.end.line && !new RegExp("\\b" + name.replace("$", "\\$") + "\\b").test(rows[at - 1])) at += 1;
    if (name) found.push([at, name, 1]);
  };
  const also = (node) => { add(node); found[found.length - 1][2] = 0; };
  parser.visit(parser.parse(text, { loc: true }), {
    ContractDefinition: add, FunctionDefinition: add, ModifierDefinition: add, StructDefinition: add,
    EnumDefinition: add, EventDefinition: also, CustomErrorDefinition: also, TypeDefinition: also,
  });
  return found;
}

function css(path, text) {
  const found = [];
  const root = load("postcss-scss").parse(text);
  root.walkAtRules((rule) => {
    const name = rule.params.split("(")[0].trim() || rule.name;
    found.push([rule.source.start.line, name, /^(mixin|function|keyframes)$/.test(rule.name) ? 1 : 0]);
  });
  root.walkRules((rule) => found.push([rule.source.start.line, rule.selector.split("\n")[0].trim().replace(/,$/, ""), rule.parent.type === "root" ? 1 : 0]));
  return found;
}

const parsers = { typescript, javascript: typescript, tsx: typescript, lua, solidity, scss: css };
const parse = parsers[process.argv[2]];
for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    console.log(JSON.stringify({ path, found: parse(path, fs.readFileSync(path, "utf8")) }));
  } catch (error) {
    console.error(`${path}: ${error.message}`);
  }
}
