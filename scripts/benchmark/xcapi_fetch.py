"""Runs xcapi with another base URL and without its sleeps: xcapi_fetch.py ADDRESS ARGUMENT..."""
import sys
import time

import xcapi.cli
import xcapi.client

time.sleep = lambda seconds: None
xcapi.client.XenoCantoClient.API_ENDPOINT = sys.argv.pop(1) + "/api/3/recordings"
xcapi.cli.main()
