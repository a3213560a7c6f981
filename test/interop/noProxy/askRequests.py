"""Which URLs Python's requests connects to without the proxy: reads [URL, NO_PROXY] as JSON, one a line, and writes true or false."""
import json
import os
import sys

from requests.utils import should_bypass_proxies

for line in sys.stdin:
    url, os.environ['no_proxy'] = json.loads(line)
    print(json.dumps(bool(should_bypass_proxies(url, no_proxy=None))))
