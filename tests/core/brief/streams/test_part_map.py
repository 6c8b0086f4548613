from ctxkit.core.brief.streams.part_map import PartMap
from ctxkit.core.brief.streams.stream_parts import StreamPart


def test_a_new_map_is_empty() -> None:
    part_map = PartMap(StreamPart(1, 2, "a"), 1)
    assert (part_map.share, part_map.need, part_map.kind, part_map.sections, part_map.trouble) == (0, 0, "", (), None)
