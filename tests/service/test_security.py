"""Who may ask for what: hosts, origins, tokens, sizes, names of files."""

import logging
import re
import socket
import stat

import httpx2
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from lmta import InputError, cli
from lmta.problems.delimited import Content
from lmta.service import serve
from lmta.service.data import Limits, check_content, safe_name
from lmta.service.security import check_exposure, is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.8.8.8"])
def test_loopback_needs_no_token(host):
    assert is_loopback(host)
    check_exposure(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "example.org", "::", "localhost.example.org", ""])
def test_any_other_host_needs_a_token(host, token):
    with pytest.raises(InputError, match="token: is needed to serve on"):
        check_exposure(host, None)
    check_exposure(host, token)


def test_a_token_that_can_be_guessed_is_refused():
    with pytest.raises(InputError, match="token: has 5 characters; at least 16"):
        check_exposure("0.0.0.0", "12345")


def test_a_token_that_no_header_carries_is_refused():
    with pytest.raises(InputError, match="token: has characters that a request's header cannot carry"):
        check_exposure("127.0.0.1", "correct hörse battery")


def test_the_command_refuses_to_be_open_to_all(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("LMTA_TOKEN", raising=False)
    assert cli.run(["serve", "--host", "0.0.0.0", "--data", str(tmp_path / "data")]) == 2
    assert "token: is needed to serve on 0.0.0.0" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1.evil", "http://["]
)
def test_other_pages_are_refused(client, begin, origin):
    plan = begin()
    day = {"day": 1, "seeded": ["ann"], "activated": []}
    for method, path in (("POST", f"{plan}/day"), ("DELETE", plan), ("GET", plan)):
        assert client.request(method, path, headers={"Origin": origin}).status_code == 403
    assert client.get(plan).json()["day"] == 1
    assert client.post(f"{plan}/day", json=day, headers={"Origin": "http://127.0.0.1"}).status_code == 200


def test_a_name_that_was_made_to_point_here_is_refused(client):
    assert client.get("/api/v1/plans", headers={"Host": "evil.example"}).status_code == 403
    assert client.get("/api/v1/plans", headers={"Host": "localhost:8000"}).status_code == 200


def test_a_token_opens_the_api_and_the_page(open_service, token, caplog):
    caplog.set_level(logging.DEBUG)
    client = open_service(only_loopback=False, token=token)
    plans = "/api/v1/plans"
    assert client.get(plans).status_code == 401
    assert client.get(plans, headers={"Authorization": f"Bearer {token}x"}).status_code == 401
    assert client.get(plans, headers={"Authorization": "Bearer "}).status_code == 401
    assert client.get(plans, headers={"Authorization": "Bearer ünï".encode("latin-1")}).status_code == 401
    assert client.get(plans, headers={"Cookie": "lmta=x"}).status_code == 401
    assert client.get(plans, headers={"Authorization": f"Bearer {token}"}).json() == []
    assert client.get("/", follow_redirects=False).headers["location"] == "/login"
    assert client.get("/openapi.json", follow_redirects=False).status_code == 303
    assert client.post("/login", data={"token": "wrong"}).status_code == 401
    answer = client.post("/login", data={"token": token}, follow_redirects=False)
    assert answer.status_code == 303
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert token not in answer.headers["set-cookie"]
    assert client.get(plans).json() == []  # by the cookie
    assert token not in caplog.text


SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


def socket_opens(address, **headers):
    """Whether the page's connection is taken."""
    try:
        with connect(address.replace("http", "ws", 1) + SOCKET, additional_headers=headers) as page:
            return page.recv().startswith("0")
    except InvalidStatus as refused:
        assert refused.response.status_code == 403
        return False


def test_the_connection_of_the_page_is_for_our_own_page(address):
    assert socket_opens(address, Origin=address)
    assert not socket_opens(address, Origin="http://evil.example")
    assert not socket_opens(address, Origin="null")
    polling = address + SOCKET.replace("websocket", "polling")
    assert httpx2.get(polling, headers={"Origin": "http://evil.example"}).status_code == 403


def test_the_page_and_its_connection_are_behind_the_token(guarded, token):
    with httpx2.Client(base_url=guarded) as visitor:
        for path in ("/", "/new", "/docs", "/openapi.json", "/_nicegui/anything"):
            assert visitor.get(path).headers["location"] == "/login"
        assert not socket_opens(guarded, Origin=guarded)
        assert (
            visitor.post("/login", data={"token": token}, headers={"Origin": "http://evil.example"}).status_code == 403
        )
        assert visitor.post("/login", data={"token": token}).status_code == 303
        assert visitor.get("/new").status_code == 200
        cookie = f"lmta={visitor.cookies['lmta']}"
    assert socket_opens(guarded, Origin=guarded, Cookie=cookie)
    assert not socket_opens(guarded, Origin="http://evil.example", Cookie=cookie)
    assert not socket_opens(guarded, Origin=guarded, Cookie="lmta=0")


def test_uploads_to_the_page_are_bounded_too(guarded, token):
    with httpx2.Client(base_url=guarded, headers={"Authorization": f"Bearer {token}"}) as visitor:
        place = re.search(r"/_nicegui/client/[^/\"]+/upload/\d+", visitor.get("/new").text).group()
        for size, code in ((500_000, 200), (3_000_000, 413)):
            start = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
            body = (part for part in (start, *[b"x" * 100_000] * (size // 100_000), b"\r\n--b--\r\n"))
            form = {"Content-Type": "multipart/form-data; boundary=b"}
            assert visitor.post(place, content=body, headers=form).status_code == code


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/v1/nothing"), ("PUT", "/api/v1/plans"), ("GET", "/api")])
def test_what_the_api_does_not_know_is_told_in_json(address, method, path):
    answer = httpx2.request(method, address + path + "/")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "There is no such request here; /docs has all of them."}


def test_uploads_are_bounded(open_service):
    client = open_service(limits=Limits(bytes=1_000, rows=20))
    settings = {"days": 2, "budget": 1}

    def status(text):
        return client.post("/api/v1/campaigns", data=settings, files={"file": ("a.csv", text)}).status_code

    assert status("a,b\n") == 201
    assert status("a,b\n" + "x" * 1_000) == 413
    assert status("\n".join(f"a,b{i}" for i in range(30))) == 413
    assert status("x" * 2_000_000) == 413

    def chunks():
        """A form that does not say how long it is."""
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        for _ in range(40):
            yield b"x" * 100_000

    form = {"Content-Type": "multipart/form-data; boundary=b"}
    assert client.post("/api/v1/campaigns", content=chunks(), headers=form).status_code == 413
    assert len(client.get("/api/v1/plans").json()) == 1


def test_tags_of_graphml_are_bounded():
    content = Content("a.graphml", b"<graphml>" + b"<key/>" * 80 + b"</graphml>")
    with pytest.raises(InputError, match=r"a\.graphml has 82 tags; at most 80 are taken"):
        check_content(content, (".graphml",), Limits(rows=20))


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><graphml>&b;</graphml>',
        "<graphml>".encode("utf-16").decode("latin-1"),
    ],
)
def test_graphml_has_no_entities(text):
    with pytest.raises(InputError, match="without document types or entities"):
        check_content(Content("a.graphml", text.encode("latin-1")), (".graphml",), Limits())


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("friends.csv", "friends.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\my net.tsv", "my net.tsv"),
        ("..", "data.csv"),
        (None, "data.csv"),
        ("a\r\nb\x00.csv", "a__b_.csv"),
        ('<b>".csv', "_b__.csv"),
        ("é" * 300 + ".csv", "_" * 96 + ".csv"),
    ],
)
def test_names_of_files_hold_no_paths(given, safe):
    assert safe_name(given) == safe


def test_one_process_has_the_folder(tmp_path, capsys):
    with serve._alone(tmp_path):
        assert cli.run(["serve", "--data", str(tmp_path)]) == 2
    assert "is being served already" in capsys.readouterr().err
    with serve._alone(tmp_path):
        pass


def test_a_port_that_is_taken(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert cli.run(["serve", "--data", str(tmp_path), "--port", port]) == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in capsys.readouterr().err


def test_only_the_owner_can_read_the_folder(tmp_path):
    with serve._alone(tmp_path / "data"):
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_the_openapi_page_needs_no_other_host(address):
    page = httpx2.get(f"{address}/docs")
    assert page.status_code == 200
    assert re.findall(r"https?://[^\"' ]+", page.text) == []
    assert httpx2.get(f"{address}/docs-assets/swagger-ui-bundle.js").status_code == 200
