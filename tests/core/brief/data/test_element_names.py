from ctxkit.core.brief.data.element_names import find_title, format_name


def test_objects_with_metadata_are_named_by_it() -> None:
    assert find_title({"kind": "Service", "metadata": {"name": "web", "namespace": "shop"}}) == "Service shop/web"
    assert find_title({"metadata": {"name": "jinja2", "version": "2.11.3"}}) == "jinja2 2.11.3"
    assert find_title({"metadata": {"name": "x"}}) == ""


def test_a_long_path_is_named_by_its_last_part() -> None:
    assert find_title({"SourceFile": "/usr/share/octave/7.3.0/imagelib/sombrero.png", "size": 3}) == "sombrero.png"
    assert find_title({"path": "a/b.py"}) == "a/b.py"
    assert find_title({"name": "a\nb", "title": "T"}) == "T"


def test_the_first_scalar_names_an_object_without_a_title() -> None:
    assert find_title({"size": 7, "id": "a"}) == ""
    assert format_name({"size": 7, "id": "a"}) == 'id "a"'
