# A formula for Homebrew. Unverified: no test runs it.
#   brew install --HEAD packaging/ctxkit.rb
class Ctxkit < Formula
  desc "Filters that decide which content enters a language model's context window"
  homepage "https://github.com/ctxkit/ctxkit"
  license "MIT"
  head "https://github.com/ctxkit/ctxkit.git", branch: "main"

  depends_on "python@3.13"

  def install
    system "python3.13", "-m", "venv", libexec
    system libexec/"bin/pip", "install", "--require-hashes", "--requirement", "requirements/core.lock"
    system libexec/"bin/pip", "install", "--no-deps", "--no-build-isolation", buildpath
    bin.install_symlink libexec/"bin/ctxkit"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/ctxkit.bash" => "ctxkit"
    zsh_completion.install "completions/_ctxkit"
    fish_completion.install "completions/ctxkit.fish"
  end

  test do
    assert_match "ctxkit", shell_output("#{bin}/ctxkit --version")
    assert_match "a map, not the content", pipe_output("#{bin}/ctxkit gate --window 2000", "line\n" * 5000)
  end
end
