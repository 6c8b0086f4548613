// Print, for each file named on stdin, [line, name, asked] of what syn says it defines.
use std::io::BufRead;
use syn::visit::{self, Visit};

struct Found(Vec<String>, usize);

impl Found {
    fn add(&mut self, name: &syn::Ident, asked: bool) {
        self.0.push(format!("[{},\"{}\",{}]", name.span().start().line, name, u8::from(asked)));
    }
}

impl<'a> Visit<'a> for Found {
    fn visit_item_fn(&mut self, one: &'a syn::ItemFn) {
        self.add(&one.sig.ident, self.1 == 0);
        self.1 += 1;
        visit::visit_item_fn(self, one);
        self.1 -= 1;
    }
    fn visit_impl_item_method(&mut self, one: &'a syn::ImplItemMethod) {
        self.add(&one.sig.ident, self.1 == 0);
        self.1 += 1;
        visit::visit_impl_item_method(self, one);
        self.1 -= 1;
    }
    fn visit_trait_item_method(&mut self, one: &'a syn::TraitItemMethod) {
        self.add(&one.sig.ident, self.1 == 0);
        self.1 += 1;
        visit::visit_trait_item_method(self, one);
        self.1 -= 1;
    }
    fn visit_item_struct(&mut self, one: &'a syn::ItemStruct) {
        self.add(&one.ident, self.1 == 0);
    }
    fn visit_item_enum(&mut self, one: &'a syn::ItemEnum) {
        self.add(&one.ident, self.1 == 0);
    }
    fn visit_item_union(&mut self, one: &'a syn::ItemUnion) {
        self.add(&one.ident, self.1 == 0);
    }
    fn visit_item_type(&mut self, one: &'a syn::ItemType) {
        self.add(&one.ident, self.1 == 0);
    }
    fn visit_impl_item_type(&mut self, one: &'a syn::ImplItemType) {
        self.add(&one.ident, false);
    }
    fn visit_trait_item_type(&mut self, one: &'a syn::TraitItemType) {
        self.add(&one.ident, false);
    }
    fn visit_item_trait(&mut self, one: &'a syn::ItemTrait) {
        self.add(&one.ident, self.1 == 0);
        visit::visit_item_trait(self, one);
    }
    fn visit_item_mod(&mut self, one: &'a syn::ItemMod) {
        self.add(&one.ident, one.content.is_some());
        visit::visit_item_mod(self, one);
    }
    fn visit_item_macro(&mut self, one: &'a syn::ItemMacro) {
        if let Some(name) = &one.ident {
            self.add(name, true);
        }
    }
    fn visit_item_impl(&mut self, one: &'a syn::ItemImpl) {
        if let syn::Type::Path(path) = &*one.self_ty {
            if let Some(last) = path.path.segments.last() {
                self.add(&last.ident, false);
            }
        }
        visit::visit_item_impl(self, one);
    }
}

fn main() {
    for path in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if let Ok(file) = syn::parse_file(&text) {
            let mut found = Found(Vec::new(), 0);
            found.visit_file(&file);
            println!("{{\"path\": \"{}\", \"found\": [{}]}}", path, found.0.join(","));
        }
    }
}
