#!/bin/sh
# Summarises the measured differences of suite runs (`sinew test … --csv FILE`) as a Markdown table with one row per file.
#   scripts/differences.sh FILE.csv …
# Columns: the number of images; how many differ from their goldens; pixels off by 1, 2, 3 and at least 4 levels; images
# judged by FLIP; minimum, median and maximum of the FLIP mean and of the worst tile, over the images that differ; and a
# letter that identifies the output. Runs with the same letter drew identical images.
set -eu
echo "| run | images | differ | off by 1 | 2 | 3 | 4 or more | by FLIP | FLIP mean | worst tile | output |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
letters="A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"
seen=""
for file in "$@"; do
    # A checksum that identifies the drawn images. It includes the differences, so a run with the goldens of another machine gets its own
    # letter even if its images are the same.
    bits="$(cut -d, -f1,4-9 "$file" | cksum | cut -d' ' -f1)"
    case " $seen " in *" $bits "*) ;; *) seen="$seen $bits" ;; esac
    letter="$(echo "$seen" | tr ' ' '\n' | sed '/^$/d' | grep -n "^$bits$" | cut -d: -f1)"
    letter="$(echo "$letters" | cut -d' ' -f"$letter")"
    # Prints the minimum, median and maximum of a column.
    column() {
        awk -F, -v c="$1" 'NR > 1 && $3 != "" && $3 != "identical" { print $c }' "$file" | sort -g |
            awk '{ v[NR] = $1 } END { if (NR) printf "%.4f, %.4f, %.4f", v[1], v[int((NR + 1) / 2)], v[NR] }'
    }
    awk -F, -v name="$(basename "$file" .csv)" -v mean="$(column 11)" -v worst="$(column 12)" -v bits="$letter" '
        NR > 1 && $3 != "" {
            images++; differ += $3 != "identical"; flip += $3 == "flip"
            one += $5; two += $6; three += $7; more += $8
        }
        END {
            printf "| %s | %d | %d | %d | %d | %d | %d | %d | %s | %s | %s |\n",
                name, images, differ, one, two, three, more, flip, mean, worst, bits
        }' "$file"
done
echo
echo "distinct outputs: $(echo "$seen" | wc -w)"
