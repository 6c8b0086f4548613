// Print, for each file named on stdin, [line, name, asked] of what javac's parser says it defines.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

public class Definitions {
    public static void main(String[] arguments) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
            JavacTask task = (JavacTask) compiler.getTask(
                new StringWriter(), files, null, List.of("-proc:none"), null, files.getJavaFileObjects(path));
            String text = Files.readString(Path.of(path));
            StringJoiner rows = new StringJoiner(",");
            SourcePositions places = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new TreeScanner<Void, Void>() {
                    void add(Tree node, ModifiersTree modifiers, Tree kind, String name) {
                        long after = Math.max(places.getEndPosition(unit, modifiers), places.getStartPosition(unit, node));
                        after = kind == null ? after : Math.max(after, places.getEndPosition(unit, kind));
                        var match = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b").matcher(text);
                        if (match.find((int) Math.max(after, 0))) {
                            rows.add("[" + unit.getLineMap().getLineNumber(match.start()) + ",\"" + name + "\",1]");
                        }
                    }

                    @Override
                    public Void visitVariable(VariableTree node, Void nothing) {
                        long line = unit.getLineMap().getLineNumber(places.getStartPosition(unit, node));
                        rows.add("[" + line + ",\"" + node.getName() + "\",0]");
                        return super.visitVariable(node, nothing);
                    }

                    @Override
                    public Void visitClass(ClassTree node, Void nothing) {
                        if (!node.getSimpleName().isEmpty()) {
                            add(node, node.getModifiers(), null, node.getSimpleName().toString());
                        }
                        for (Tree member : node.getMembers()) {
                            if (member instanceof MethodTree method) {
                                String name = method.getName().toString();
                                name = name.equals("<init>") ? node.getSimpleName().toString() : name;
                                if (places.getEndPosition(unit, method) >= 0) {
                                    add(method, method.getModifiers(), method.getReturnType(), name);
                                }
                            }
                        }
                        return super.visitClass(node, nothing);
                    }
                }.scan(unit, null);
            }
            System.out.println("{\"path\": \"" + path + "\", \"found\": [" + rows + "]}");
        }
    }
}
