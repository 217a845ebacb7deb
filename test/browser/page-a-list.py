"""Lists a folder of an account to its end, 100 records at a time, with Python's own HTTP client.

Arguments: the account's address, the API key, the project, the folder. Prints JSON: the names in the
order in which they came, the requests that it took, the folders' names by depth, and what the
account says to a request without a JSON header.
"""

import json
import sys
import urllib.request

PAGE = 100
account, key, project, folder = sys.argv[1:]
requests = 0


def ask(path, with_json_header=True):
    global requests
    requests += 1
    headers = {"X-API-KEY": key, "User-Agent": "Pager (pager@example.com)"}
    if with_json_header:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(f"{account}/api/v3/{path}", headers=headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def read_to_the_end(path):
    records = []
    while True:
        page = ask(f"{path}?start={len(records)}&limit={PAGE}")
        records += page
        if len(page) < PAGE:
            return records


def depths(tree, depth=0):
    yield [depth, tree["name"]]
    for child in tree["children"]:
        yield from depths(child, depth + 1)


files = f"projects/{project}/folders/{folder}/files"
found = read_to_the_end(files)
print(
    json.dumps(
        {
            "names": [record["name"] for record in found],
            "requests": requests,
            "folders": list(depths(ask(f"projects/{project}/folders"))),
            "refused": ask(files, with_json_header=False),
        }
    )
)
