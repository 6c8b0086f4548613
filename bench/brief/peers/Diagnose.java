import java.util.List;
import javax.tools.*;

/** Print what the compiler finds in the files named, one JSON object a line. */
class Diagnose {
    public static void main(String[] files) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        StandardJavaFileManager manager = compiler.getStandardFileManager(found, null, null);
        List<String> options = List.of("-Xlint:all", "-Xmaxerrs", "9999", "-Xmaxwarns", "9999", "-d", "/tmp/none");
        compiler.getTask(null, manager, found, options, null, manager.getJavaFileObjects(files)).call();
        for (Diagnostic<? extends JavaFileObject> one : found.getDiagnostics()) {
            if (one.getSource() == null || one.getLineNumber() < 1 || one.getKind() == Diagnostic.Kind.NOTE) continue;
            String severity = one.getKind() == Diagnostic.Kind.ERROR ? "error" : "warning";
            System.out.printf("{\"path\": %s, \"line\": %d, \"severity\": \"%s\", \"message\": %s}%n",
                text(one.getSource().getName()), one.getLineNumber(), severity, text(one.getMessage(null)));
        }
    }

    static String text(String said) {
        return '"' + said.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + '"';
    }
}
