# Print, for each file named on stdin, [line, name, asked] of what Ripper says it defines.
require "json"
require "ripper"

def name_of(node)
  return node if node.is_a?(Array) && node[0].is_a?(Symbol) && node[0].to_s.start_with?("@")
  node.is_a?(Array) ? name_of(node.last) : nil
end

def visit(node, found)
  return unless node.is_a?(Array)
  case node[0]
  when :def then found << [node[1][2][0], node[1][1], 1]
  when :defs then found << [node[3][2][0], node[3][1], 1]
  when :class, :module
    name = name_of(node[1])
    found << [name[2][0], name[1], 1] if name
  end
  node.each { |child| visit(child, found) }
end

STDIN.each_line(chomp: true) do |path|
  tree = Ripper.sexp(File.read(path)) or next
  found = []
  visit(tree, found)
  puts JSON.generate({ path: path, found: found })
end
