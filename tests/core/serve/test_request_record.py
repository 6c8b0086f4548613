from ctxkit.core.serve.request_record import RequestRecord, format_record


def test_a_request_is_one_line() -> None:
    line = format_record(RequestRecord("cache/get", 404, 0.00123, 0, 61), "2030-01-02T03:04:05.678Z")
    assert line == "2030-01-02T03:04:05.678Z cache/get 404 1.2 ms, 0 bytes in, 61 bytes out"
