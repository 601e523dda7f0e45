from assay.cli import main

SMALL = ["--systems", "4", "--topics", "3", "--depth", "10", "--pool", "3", "--seed", "8"]


def test_writes_a_collection_and_prints_the_next_command(tmp_path, capsys):
    target = tmp_path / "demo"
    assert main(["simulate", str(target), *SMALL]) == 0
    assert sorted(path.name for path in target.iterdir()) == ["README.md", "qrels.txt", "runs"]
    assert (target / "runs" / "alpha1.run").is_file()
    out, err = capsys.readouterr()
    assert err == ""
    first, _, last = out.splitlines()
    assert first.startswith(f"{target}: 4 runs of 3 topics, ")
    assert last == f"next: assay eval {target}/qrels.txt {target}/runs -m AP nDCG@10"


def test_options_are_applied(tmp_path):
    main(["simulate", str(tmp_path / "demo"), *SMALL, "--grades", "2"])
    readme = (tmp_path / "demo" / "README.md").read_text()
    assert "--systems 4 --topics 3 --depth 10 --grades 2 --pool 3 --seed 8" in readme


def test_non_empty_directory_is_rejected_in_one_line(tmp_path, capsys):
    (tmp_path / "notes.txt").touch()
    assert main(["simulate", str(tmp_path), *SMALL]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "is not empty; choose another directory, or add --force" in err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_force_replaces_the_collection(tmp_path):
    main(["simulate", str(tmp_path), *SMALL])
    old_qrels = (tmp_path / "qrels.txt").read_bytes()
    assert main(["simulate", str(tmp_path), *SMALL, "--seed", "9", "--systems", "2", "--force"]) == 0
    assert (tmp_path / "qrels.txt").read_bytes() != old_qrels
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_invalid_sizes_are_rejected_in_one_line(tmp_path, capsys):
    assert main(["simulate", str(tmp_path / "demo"), "--topics", "0"]) == 2
    assert capsys.readouterr().err == "assay: topics must be a whole number from 1 to 1000000, got 0\n"
    assert main(["simulate", str(tmp_path / "demo"), "--topics", "many"]) == 2
    assert list(tmp_path.iterdir()) == []


def test_interrupt_leaves_no_files(tmp_path, monkeypatch):
    from assay.io import trec

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(trec, "write_run", interrupt)
    assert main(["simulate", str(tmp_path / "demo"), *SMALL]) == 130
    assert list(tmp_path.iterdir()) == []


def test_path_with_a_space_is_quoted_for_the_shell(tmp_path, capsys):
    main(["simulate", str(tmp_path / "my demo"), *SMALL])
    assert f"assay eval '{tmp_path}/my demo/qrels.txt' '{tmp_path}/my demo/runs'" in capsys.readouterr().out
