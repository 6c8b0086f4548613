// Print what TypeScript finds in the project of this directory as JSON.
const ts = require("typescript");
const read = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const parsed = ts.parseJsonConfigFileContent(read.config, ts.sys, process.cwd());
const program = ts.createProgram(parsed.fileNames, parsed.options);
// As the command does, say what is wrong with types only where the syntax is right.
const syntax = program.getSyntacticDiagnostics();
const found = (syntax.length ? syntax : ts.getPreEmitDiagnostics(program)).filter((one) => one.file);
console.log(JSON.stringify(found.map((one) => ({
  path: one.file.fileName,
  line: one.file.getLineAndCharacterOfPosition(one.start).line + 1,
  code: one.code,
  message: ts.flattenDiagnosticMessageText(one.messageText, "\n"),
}))));
