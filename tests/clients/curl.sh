#!/bin/sh
# curl: what it adds by itself to a large body or for HTTP/2 does not stand in the way.
set -eu
failed=0
user=$(printf %s "$STEAD_IDENTIFIER" | sed 's/%/%25/g; s/ /%20/g; s,/,%2F,g')
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check NAME EXPECTED-STATUS CURL-ARGUMENTS...
check() {
    name=$1 expected=$2
    shift 2
    status=$(curl -s -o "$folder/response" -w '%{http_code}' -H "Authorization: Bearer $STEAD_TOKEN" "$@") || true
    if [ "$status" = "$expected" ]; then
        echo "  ok    $name"
    else
        failed=1
        echo "  FAIL  $name: expected $expected, found $status"
        head -c 1000 "$folder/response"
        echo
    fi
}

profile=$STEAD_URL/proxy/mail/$user/gmail/v1/users/me/profile
upload=$STEAD_URL/proxy/drive/$user/upload/drive/v3/files?uploadType=media
dd if=/dev/zero of="$folder/body" bs=1000000 count=3 2>/dev/null

check 'curl: an upgrade to HTTP/2' 200 --http2 "$profile"
check 'curl: HTTP/2 from the first byte' 200 --http2-prior-knowledge "$profile"
check 'curl: a compressed response' 200 --compressed "$profile"
check 'curl: a body of 3 MB, which it announces' 200 -H 'Content-Type: application/octet-stream' --data-binary "@$folder/body" "$upload"
exit $failed
