//! Documents as text, and hostile ones that cost no more than their own process.
#![cfg(feature = "documents")]
use std::io::Write;

use crate::support::HANG;
use callgate_workspace::Settings;
use callgate_workspace::documents::office::zip::ZipWriter;
use callgate_workspace::documents::office::zip::write::SimpleFileOptions;
use callgate_workspace::files::read::{ReadFile, read_file};
use callgate_workspace::place::Base;
use callgate_workspace::work::Stop;
use serde_json::json;

struct Shelf {
    directory: tempfile::TempDir,
    base: Base,
}

impl Shelf {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut settings = Settings::from_environment(directory.path().to_owned(), |_| None);
        settings.program = Some(env!("CARGO_BIN_EXE_callgate").into());
        Self { base: Base::from(&settings), directory }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.directory.path().join(name), content).unwrap();
    }

    fn archive(&self, name: &str, parts: &[(&str, &str)]) {
        let mut archive = ZipWriter::new(std::fs::File::create(self.directory.path().join(name)).unwrap());
        for (part, content) in parts {
            archive.start_file(*part, SimpleFileOptions::default()).unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
    }

    fn read(&self, name: &str, more: serde_json::Value) -> ReadFile {
        let mut arguments = more;
        arguments["path"] = json!(name);
        arguments["line_numbers"] = json!(false);
        read_file(&self.base, &serde_json::from_value(arguments).unwrap(), &Stop::after(HANG))
    }

    fn text(&self, name: &str) -> String {
        let page = self.read(name, json!({}));
        assert_eq!(page.error, None, "{name}");
        page.content
    }
}

/// A one-page PDF that says one word.
fn pdf(word: &str) -> String {
    let stream = format!("BT /F1 24 Tf 72 700 Td ({word}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let (mut text, mut places) = ("%PDF-1.4\n".to_owned(), Vec::new());
    for (index, object) in objects.iter().enumerate() {
        places.push(text.len());
        text.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let table = text.len();
    text.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    places.iter().for_each(|place| text.push_str(&format!("{place:010} 00000 n \n")));
    text + &format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1)
}

#[test]
fn documents_become_text_that_is_read_by_pages() {
    let shelf = Shelf::new();
    shelf.write("page.html", "<h1>Title</h1><p>one</p><p>two</p><script>no</script>");
    shelf.write("paper.pdf", pdf("Ocean"));
    let word = "<w:document><w:body><w:p><w:r><w:t>A &amp; B</w:t><w:tab/><w:t>c&#233;</w:t><w:delText>gone</w:delText></w:r></w:p><w:p><w:r><w:t>second</w:t></w:r></w:p></w:body></w:document>";
    shelf.archive("letter.docx", &[("word/document.xml", word)]);
    let slide = |text: &str| format!("<p:sld><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
    let slides: Vec<_> =
        [1, 2, 10].iter().map(|number| (format!("ppt/slides/slide{number}.xml"), slide(&format!("slide text {number}")))).collect();
    let parts: Vec<_> = slides.iter().rev().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    shelf.archive("talk.pptx", &parts);
    let open = "<office:document-content><text:h>Head</text:h><text:p>a<text:s/>b<text:line-break/>c</text:p></office:document-content>";
    shelf.archive("note.odt", &[("content.xml", open)]);
    let container = "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";
    let package = "<package><manifest><item id='b' href='two.xhtml'/><item id='a' href='one%201.xhtml'/></manifest><spine><itemref idref='a'/><itemref idref='b'/></spine></package>";
    let chapter = |text: &str| format!("<html><body><p>{text}</p></body></html>");
    let (one, two) = (chapter("chapter one"), chapter("chapter two"));
    shelf.archive(
        "book.epub",
        &[("META-INF/container.xml", container), ("OPS/book.opf", package), ("OPS/two.xhtml", &two), ("OPS/one 1.xhtml", &one)],
    );
    shelf.archive("table.ods", &[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", "<manifest:manifest xmlns:manifest='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0'/>"),
        ("content.xml", "<office:document-content xmlns:office='o' xmlns:table='t' xmlns:text='x'><office:body><office:spreadsheet><table:table table:name='Prices'><table:table-row><table:table-cell office:value-type='string'><text:p>tea</text:p></table:table-cell><table:table-cell office:value-type='float' office:value='2.5'><text:p>2.5</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"),
    ]);
    shelf.write("data.csv", "a,b\n1,2\n");

    assert!(shelf.text("page.html").starts_with("# Title\n\none\n\ntwo"));
    assert!(shelf.text("paper.pdf").contains("Ocean"));
    assert_eq!(shelf.text("letter.docx"), "A & B\tcé\n\nsecond");
    assert_eq!(shelf.text("talk.pptx").matches("slide text").count(), 3);
    assert!(shelf.text("talk.pptx").find("text 2").unwrap() < shelf.text("talk.pptx").find("text 10").unwrap());
    assert_eq!(shelf.text("note.odt"), "# Head\n\na b\nc");
    let book = shelf.text("book.epub");
    assert!(book.find("chapter one").unwrap() < book.find("chapter two").unwrap());
    assert_eq!(shelf.text("table.ods"), "## Prices\n\n| tea | 2.5 |\n| --- | --- |");
    assert_eq!(shelf.text("data.csv"), "a,b\n1,2");
    let second = shelf.read("letter.docx", json!({"offset": -1}));
    assert_eq!((second.content.as_str(), second.format.as_str()), ("second", "docx"));
    assert!(shelf.read("page.html", json!({"raw": true})).content.starts_with("<h1>"));
}

#[test]
fn headings_lists_and_tables_become_markdown() {
    let shelf = Shelf::new();
    let styles = "<w:styles><w:style w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style><w:style w:styleId='Titel'><w:name w:val='Title'/></w:style>\
        <w:style w:styleId='Liste'><w:name w:val='List Number'/><w:pPr><w:numPr><w:numId w:val='2'/></w:numPr></w:pPr></w:style></w:styles>";
    let numbering = "<w:numbering><w:abstractNum w:abstractNumId='7'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/></w:lvl></w:abstractNum>\
        <w:abstractNum w:abstractNumId='8'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/></w:lvl><w:lvl w:ilvl='1'><w:numFmt w:val='bullet'/></w:lvl></w:abstractNum>\
        <w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='8'/></w:num></w:numbering>";
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let paragraph =
        |properties: &str, text: &str| format!("<w:p><w:pPr>{properties}<w:tabs><w:tab w:val='left'/></w:tabs></w:pPr>{}</w:p>", run(text));
    let bullet = |level: u8| format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='1'/></w:numPr>");
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", paragraph("", text));
    let word = [
        "<w:document><w:body>".to_owned(),
        paragraph("<w:pStyle w:val='Titel'/>", "Report"),
        paragraph("<w:pStyle w:val='berschrift2'/>", "Part"),
        paragraph(&bullet(0), "one"),
        paragraph(&bullet(1), "deeper"),
        paragraph("<w:pStyle w:val='Liste'/>", "first"),
        paragraph("", ""),
        format!(
            "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}<w:tc><w:tbl><w:tr>{}{}</w:tr></w:tbl></w:tc></w:tr></w:tbl>",
            cell("a|b"),
            cell("c"),
            cell("d"),
            cell("e"),
            cell("f")
        ),
        format!("<w:p>{}<mc:Fallback>{}</mc:Fallback></w:p>", run("end"), run("twice")),
        "</w:body></w:document>".to_owned(),
    ]
    .concat();
    shelf.archive("report.docx", &[("word/document.xml", &word), ("word/styles.xml", styles), ("word/numbering.xml", numbering)]);
    assert_eq!(
        shelf.text("report.docx"),
        "# Report\n\n## Part\n\n- one\n  - deeper\n1. first\n\n| a\\|b | c |\n| --- | --- |\n| d | e f |\n\nend"
    );

    let open = "<office:document-content><office:automatic-styles><text:list-style style:name='N'><text:list-level-style-number text:level='1'/></text:list-style></office:automatic-styles>\
        <text:h text:outline-level='2'>Part<office:annotation><text:p>a remark</text:p></office:annotation></text:h>\
        <text:list text:style-name='N'><text:list-item><text:p>first</text:p><text:p>more</text:p></text:list-item>\
        <text:list-item><text:list><text:list-item><text:p>deeper</text:p></text:list-item></text:list></text:list-item></text:list>\
        <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated='2'><text:p>b</text:p></table:table-cell><table:table-cell table:number-columns-repeated='16000'/></table:table-row></table:table></office:document-content>";
    shelf.archive("part.odt", &[("content.xml", open)]);
    assert_eq!(shelf.text("part.odt"), "## Part\n\n1. first\n\nmore\n\n   1. deeper\n\n| a | b | b |\n| --- | --- | --- |");

    shelf.write("page.html", "<title>A page</title><style>p {}</style><h2>Part</h2><ul><li>one<li>two</ul><ol><li>first</ol><table><tr><th>a<th>b<tr><td>1<td>2</table>");
    let page = shelf.text("page.html");
    let blocks: Vec<String> = page.split("\n\n").map(|block| block.replace("  ", " ").replace("  ", " ")).collect();
    assert_eq!(blocks, ["A page", "## Part", "- one\n- two", "1. first", "| a | b |\n| - | - |\n| 1 | 2 |"], "{page}");
}

#[test]
fn a_document_without_text_says_so() {
    let shelf = Shelf::new();
    shelf.write("scan.pdf", pdf(""));
    shelf.write("empty.html", "<p></p>");
    for (name, words) in [("scan.pdf", "it may be scanned pages"), ("empty.html", "holds no text")] {
        let page = shelf.read(name, json!({}));
        assert_eq!(page.error, None, "{name}");
        assert!(page.note.as_deref().is_some_and(|note| note.contains(words)), "{name}: {page:?}");
    }
}

#[test]
fn a_conversion_ends_with_its_time() {
    let shelf = Shelf::new();
    shelf.write("deep.html", "<div>".repeat(200_000));
    let arguments = serde_json::from_value(json!({"path": "deep.html"})).unwrap();
    let page = read_file(&shelf.base, &arguments, &Stop::after(std::time::Duration::ZERO));
    assert!(page.error.as_deref().is_some_and(|error| error.contains("the time was over")), "{page:?}");
}

#[test]
fn damaged_nested_and_exploding_documents_are_refused() {
    let shelf = Shelf::new();
    let mut bomb = ZipWriter::new(std::fs::File::create(shelf.directory.path().join("bomb.docx")).unwrap());
    bomb.start_file("word/document.xml", SimpleFileOptions::default().large_file(true)).unwrap();
    let zeros = vec![b' '; 1 << 20];
    (0..128).for_each(|_| bomb.write_all(&zeros).unwrap());
    bomb.finish().unwrap();
    shelf.write("not.pdf", "this is no pdf");
    shelf.write("cut.pdf", &pdf("Ocean")[..200]);
    shelf.write("not.docx", "PK\x03\x04 nonsense");
    shelf.write("not.xlsx", b"\xd0\xcf\x11\xe0 nonsense");
    shelf.archive("other.docx", &[("hello", "world")]);
    shelf.archive("other.epub", &[("hello", "world")]);
    shelf
        .write("nested.pdf", format!("%PDF-1.4\n1 0 obj\n{}\nendobj\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF", "[".repeat(200_000)));
    for name in ["not.pdf", "cut.pdf", "not.docx", "not.xlsx", "other.docx", "other.epub", "nested.pdf"] {
        let page = shelf.read(name, json!({}));
        assert!(page.error.as_deref().is_some_and(|error| error.contains("damaged")), "{name}: {page:?}");
    }
    // What unpacks without end is cut at its bound, so it is damaged XML or blank text, but it is answered.
    let bomb = shelf.read("bomb.docx", json!({}));
    assert!(bomb.content.trim().is_empty());
    shelf.write("deep.html", "<div>".repeat(20_000) + "deep");
    let deep = shelf.read("deep.html", json!({}));
    assert!(deep.error.is_some() || deep.content.contains("deep"), "{deep:?}");
}
