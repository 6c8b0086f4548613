<?php
// Print, for each file named on stdin, [line, name, asked] of what PHP's own tokens say it defines.
while (($path = fgets(STDIN)) !== false) {
    $path = rtrim($path, "\n");
    $found = [];
    $tokens = array_values(array_filter(
        PhpToken::tokenize(file_get_contents($path)),
        fn ($token) => !$token->is([T_WHITESPACE, T_COMMENT, T_DOC_COMMENT])
    ));
    foreach ($tokens as $at => $token) {
        $before = $tokens[$at - 1] ?? null;
        $after = $tokens[$at + 1] ?? null;
        if ($token->is(T_VARIABLE)) $found[] = [$token->line, $token->text, 0];
        if (!$token->is([T_FUNCTION, T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) || !$after) continue;
        if ($before && $before->is([T_DOUBLE_COLON, T_USE, T_OBJECT_OPERATOR])) continue;
        if ($after->text === '&') $after = $tokens[$at + 2];
        if (preg_match('/^[A-Za-z_]\w*$/', $after->text) && !$after->is([T_EXTENDS, T_IMPLEMENTS])) {
            $found[] = [$after->line, $after->text, 1];
        }
    }
    echo json_encode(['path' => $path, 'found' => $found]), "\n";
}
