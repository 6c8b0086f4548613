// A reporter of mocha that prints what another one does and records what fails: MOCHA_SHOWN, MOCHA_OUT.
const fs = require("fs");
const path = require("path");
const Mocha = require(path.join(process.env.MOCHA_ROOT, "mocha"));
const Shown = Mocha.reporters[process.env.MOCHA_SHOWN || "Spec"];

module.exports = class extends Shown {
  constructor(runner, options) {
    super(runner, options);
    const failed = [];
    runner.on("fail", (test, error) => failed.push({ title: test.title, message: String(error.message) }));
    runner.on("end", () => fs.writeFileSync(process.env.MOCHA_OUT, JSON.stringify(failed)));
  }
};
