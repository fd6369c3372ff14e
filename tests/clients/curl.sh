#!/bin/sh
# curl: the headers that it adds for large bodies and HTTP/2 don't break a request.
set -eu
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check NAME EXPECTED-STATUS TOKEN CURL-ARGUMENTS...
check() {
    name=$1 expected=$2 token=$3
    shift 3
    status=$(curl -s -o "$folder/response" -w '%{http_code}' -H "Authorization: Bearer $token" "$@") || true
    if [ "$status" = "$expected" ]; then
        echo "  ok    $name"
    else
        failed=1
        echo "  FAIL  $name: expected $expected, found $status"
        head -c 1000 "$folder/response"
        echo
    fi
}

user=acme%2Fuser%201
path=gmail/v1/users/me/profile
profile=$STEAD_PROXY_URL/$path
upload=$STEAD_PROXY_URL/upload/drive/v3/files?uploadType=media
dd if=/dev/zero of="$folder/body" bs=1000000 count=3 2>/dev/null

check 'curl: an upgrade to HTTP/2' 200 "$MAIL_READ_TOKEN" --http2 "$profile"
check 'curl: HTTP/2 from the first byte' 200 "$MAIL_READ_TOKEN" --http2-prior-knowledge "$profile"
check 'curl: a compressed response' 200 "$MAIL_READ_TOKEN" --compressed "$profile"
check 'curl: a body of 3 MB, which it announces' 200 "$DRIVE_WRITE_TOKEN" -H 'Content-Type: application/octet-stream' --data-binary "@$folder/body" "$upload"
check 'curl: the path of the account' 200 "$MAIL_READ_TOKEN" "$STEAD_URL/proxy/mail/$user/$path"
check 'curl: the path of another account' 403 "$MAIL_READ_TOKEN" "$STEAD_URL/proxy/mail/user-1/$path"
check 'curl: a tool' 403 "$MAIL_WRITE_TOKEN" "$STEAD_URL/v1/tools"
exit $failed
