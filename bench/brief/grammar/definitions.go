// Print, for each file named on stdin, [line, name, asked] of what go/parser says it defines.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

type row [3]any

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, in.Text(), nil, 0)
		if err != nil {
			continue
		}
		found := []row{}
		add := func(name *ast.Ident, asked int) {
			found = append(found, row{files.Position(name.Pos()).Line, name.Name, asked})
		}
		for _, one := range file.Decls {
			if general, ok := one.(*ast.GenDecl); ok {
				for _, spec := range general.Specs {
					if kind, ok := spec.(*ast.TypeSpec); ok {
						add(kind.Name, 1)
					}
				}
			}
			if function, ok := one.(*ast.FuncDecl); ok {
				add(function.Name, 1)
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch one := node.(type) {
			case *ast.ValueSpec:
				for _, name := range one.Names {
					add(name, 0)
				}
			case *ast.AssignStmt:
				for _, left := range one.Lhs {
					if name, ok := left.(*ast.Ident); ok {
						add(name, 0)
					}
					if field, ok := left.(*ast.SelectorExpr); ok {
						add(field.Sel, 0)
					}
				}
			case *ast.InterfaceType:
				for _, method := range one.Methods.List {
					for _, name := range method.Names {
						add(name, 0)
					}
				}
			case *ast.DeclStmt:
				if general, ok := one.Decl.(*ast.GenDecl); ok {
					for _, spec := range general.Specs {
						if kind, ok := spec.(*ast.TypeSpec); ok {
							add(kind.Name, 0)
						}
					}
				}
			}
			return true
		})
		text, _ := json.Marshal(map[string]any{"path": in.Text(), "found": found})
		fmt.Println(string(text))
	}
}
