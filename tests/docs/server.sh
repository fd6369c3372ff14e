# Runs a command as on a fresh server: what it writes to the system's folders is gone afterwards.
#
#     unshare --mount sh server.sh STEAD COMMAND...
set -e
stead=$1
shift
layers=$PWD/.layers
mkdir "$layers"
mount -t tmpfs none "$layers"
for folder in etc var usr/local; do
    mkdir -p "$layers/$folder/upper" "$layers/$folder/work"
    mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$layers/$folder/upper,workdir=$layers/$folder/work" "/$folder"
done
install -m 755 "$stead" /usr/local/bin/stead
exec "$@"
